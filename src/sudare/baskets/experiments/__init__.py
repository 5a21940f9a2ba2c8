"""The experiments of T. Nakagawa, Arai, H. Nakagawa: Personalized anonymization of set-valued data."""
