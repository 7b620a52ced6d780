"""What single policies do, beyond what every policy is checked for."""
