"""Tests of onearm.schema."""
