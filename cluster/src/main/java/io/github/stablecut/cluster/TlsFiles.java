package io.github.stablecut.cluster;

import java.nio.file.Path;
import java.util.Optional;

/**
 * PEM files for TLS. Immutable.
 *
 * @param certificate the server's certificate chain, up to its authority's
 * @param key its private key, in PKCS#8 without a password
 * @param clientAuthority if present, clients must have a certificate of this authority
 */
public record TlsFiles(Path certificate, Path key, Optional<Path> clientAuthority) {}
