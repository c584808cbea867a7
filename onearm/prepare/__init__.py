"""What linear learners want of a row, made online."""
