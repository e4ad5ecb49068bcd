package io.github.stablecut.cluster.internal.service.handle;

import java.util.Optional;

/**
 * The origin of a connection. Immutable.
 *
 * @param address the IP address of the client
 * @param user the subject of the client's certificate; empty if clients present none
 */
public record Origin(String address, Optional<String> user) {}
