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
 * The accepted connections whose other ends have not said yet who they are. Bounded: one gives way
 * to a new one, because a data centre says who it is within moments, and the idle ones must not
 * keep it away. Thread-safe.
 */
final class UnidentifiedConnections {
  private final int most;

  /** The oldest first. */
  @GuardedBy("this")
  private final Set<Socket> waiting = new LinkedHashSet<>();

  /**
   * @param most how many there may be, at least 1
   */
  UnidentifiedConnections(int most) {
    this.most = most;
  }

  /**
   * Adds a connection.
   *
   * @return the connection to close for it, if there are too many: the oldest from the address that
   *     has the most
   */
  synchronized Optional<Socket> add(Socket accepted) {
    Optional<Socket> ended = waiting.size() < most ? Optional.empty() : Optional.of(oldest());
    ended.ifPresent(waiting::remove);
    boolean unused = waiting.add(accepted);
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

  /** Removes a connection that has said who it is, or has ended. */
  synchronized void remove(Socket known) {
    boolean unused = waiting.remove(known);
  }
}
