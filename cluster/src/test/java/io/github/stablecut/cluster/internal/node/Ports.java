package io.github.stablecut.cluster.internal.node;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Ports of this machine that nobody uses now. */
public final class Ports {
  /**
   * Below the ports that systems give to connections: who tries to reach a node that is down, from
   * the same machine, could be given its very port, and the node could not come back.
   */
  private static final int FIRST = 12_000;

  private static final int LAST = 32_000;

  /** Each of the processes that run tests side by side has ports of its own. */
  private static final int PROCESSES = 4;

  private static final int OF_PROCESS = (LAST - FIRST) / PROCESSES;

  private static final int FIRST_OF_PROCESS =
      FIRST + Integer.getInteger("test.process", 0) % PROCESSES * OF_PROCESS;

  private Ports() {}

  /**
   * Some different ones, in the order of their texts: of nodes there, the first begins a cluster.
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
          // Somebody uses it: another one.
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
