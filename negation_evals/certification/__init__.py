"""From audits to a certificate: which answers count, the protocol, the tier, the verification."""
