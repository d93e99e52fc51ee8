"""The baseline by neural bones in the suite of appearance."""
