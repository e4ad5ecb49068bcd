package io.github.stablecut.internal.link;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.net.InetAddress;
import java.net.Socket;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The accepted connections before their handshakes. Bounded: a new connection evicts an old one,
 * because data centres complete the handshake quickly, and idle connections must not block them.
 * Thread-safe.
 */
final class UnidentifiedConnections {
  private final int limit;

  /** The connections, oldest first. */
  @GuardedBy("this")
  private final Set<Socket> waiting = new LinkedHashSet<>();

  /**
   * @param limit the maximum number of connections, at least 1
   */
  UnidentifiedConnections(int limit) {
    this.limit = limit;
  }

  /**
   * Adds a connection.
   *
   * @return the connection to close if there are too many: the oldest one from the address with the
   *     most connections
   */
  synchronized Optional<Socket> add(Socket accepted) {
    Optional<Socket> ended = waiting.size() < limit ? Optional.empty() : Optional.of(oldest());
    ended.ifPresent(waiting::remove);
    waiting.add(accepted);
    return ended;
  }

  @GuardedBy("this")
  private Socket oldest() {
    Map<InetAddress, Integer> counts = new HashMap<>();
    waiting.forEach(socket -> counts.merge(socket.getInetAddress(), 1, Integer::sum));
    int largest = counts.values().stream().mapToInt(Integer::intValue).max().orElseThrow();
    return waiting.stream()
        .filter(socket -> counts.getOrDefault(socket.getInetAddress(), 0) == largest)
        .findFirst()
        .orElseThrow();
  }

  /** Removes a connection after its handshake or end. */
  synchronized void remove(Socket known) {
    waiting.remove(known);
  }
}
