"""Wang et al. 2023: estimate, verify, release."""
