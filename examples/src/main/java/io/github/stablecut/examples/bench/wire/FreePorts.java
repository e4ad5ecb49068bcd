package io.github.stablecut.examples.bench.wire;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds free ports of this machine, for nodes whose addresses must be known before they start. The
 * ports are below those that Linux assigns to outgoing connections (from 32,768 on), so no
 * connection takes one in the meantime.
 */
public final class FreePorts {
  private static final int FIRST = 20_000;
  private static final int LAST = 32_767;

  private FreePorts() {}

  public static List<Integer> find(int number) throws IOException {
    List<Integer> found = new ArrayList<>();
    int candidate = ThreadLocalRandom.current().nextInt(FIRST, LAST);
    for (int tried = 0; found.size() < number; tried++) {
      if (tried > LAST - FIRST) {
        throw new BindException(
            "fewer than %d ports from %d to %d are free".formatted(number, FIRST, LAST));
      }
      if (isFree(candidate)) {
        found.add(candidate);
      }
      candidate = candidate == LAST ? FIRST : candidate + 1;
    }
    return found;
  }

  private static boolean isFree(int port) throws IOException {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (BindException e) {
      return false;
    }
  }
}
