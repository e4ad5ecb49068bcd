package io.github.stablecut.cluster.internal.service;

import java.util.Optional;

/**
 * Where a connection comes from. Immutable.
 *
 * @param address the IP address of the client
 * @param user the subject of its certificate; empty if clients need none
 */
public record Origin(String address, Optional<String> user) {}
