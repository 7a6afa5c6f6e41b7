"""Second roads: independent truths that the accountants of bursar are compared with.

Nothing here imports bursar.  Four roads, each with its own formulas and its own arithmetic:

* `quadrature`: one to three steps by closed forms and nested quadrature, in Arb at any precision;
* `contour_slow`: any plan, by adaptive Gauss-Legendre panels along a contour, each moment
  E e^{zY} a rigorous `acb.integral`; seconds a value, twenty digits and more;
* `tilted_fft`: any plan, Laplace too, by a plain tilted FFT in float64: an upper bound and an
  estimate, in a fraction of a second;
* `golden`: the numbers that the first two made, stored under `tests/reference`.

A plan here is a tuple of (law, count); a direction is "remove" or "add".
"""
