"""R. Busa-Fekete, B. Kégl. Fast boosting using adversarial bandits. ICML 2010."""
