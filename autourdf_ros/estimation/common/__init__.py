"""What several estimators share: surface matching, rigid bodies, joint fits."""
