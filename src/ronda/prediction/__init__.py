"""When to come back: predictors, and a simulator that compares them. Pure: numbers in, numbers out, no Django."""
