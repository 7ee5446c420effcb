"""Measured beside what a user would pick instead; each prints ratios or intervals."""
