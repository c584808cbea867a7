"""D. Zhang, Y. Jung, A. Tewari. Online multiclass boosting with bandit feedback. AISTATS 2019."""
