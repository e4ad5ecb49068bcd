package io.github.stablecut.cluster.internal.node;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Finds unused ports of this machine. */
public final class Ports {
  /**
   * The range below the ephemeral ports: a process that tries to reach a node that is down could
   * get the node's port as its own, and then the node could not restart.
   */
  private static final int FIRST = 12_000;

  private static final int LAST = 32_000;

  /** The number of test processes that run in parallel, each with a range of its own. */
  private static final int PROCESSES = 4;

  private static final int OF_PROCESS = (LAST - FIRST) / PROCESSES;

  private static final int FIRST_OF_PROCESS =
      FIRST + Integer.getInteger("test.process", 0) % PROCESSES * OF_PROCESS;

  private Ports() {}

  /**
   * Returns different free ports in the order of their texts: the first of these nodes forms a
   * cluster.
   */
  public static List<Integer> free(int number) throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    List<Integer> ports = new ArrayList<>();
    try {
      while (ports.size() < number) {
        int port =
            ThreadLocalRandom.current().nextInt(FIRST_OF_PROCESS, FIRST_OF_PROCESS + OF_PROCESS);
        try {
          sockets.add(new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
          ports.add(port);
        } catch (BindException e) {
          // In use: try another one.
        }
      }
    } finally {
      for (ServerSocket socket : sockets) {
        socket.close();
      }
    }
    ports.sort(Comparator.comparing(String::valueOf));
    return ports;
  }
}
