package io.github.stablecut.examples.bench.guard;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.examples.bench.commit.ProcessUse;
import io.github.stablecut.examples.bench.commit.TraceMark;
import io.github.stablecut.examples.bench.wire.FreePorts;
import io.github.stablecut.examples.bench.wire.NettyEcho;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The part of a process that answers requests: a server of any version, started by its command
 * line, or an echo of frames. It prints its port, and what it has used so far for each line of its
 * input. The process ends with its input.
 */
final class GuardServer {
  static final String PORT = "port ";
  static final String USE = "use ";

  private static final String COMMANDS = "io.github.stablecut.cluster.command.";
  private static final long RETRY_NANOS = 20_000_000;

  /** A frame about as long as the answer to a read. */
  private static final byte[] ANSWER = {0, 0, 0, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

  private GuardServer() {}

  /**
   * Serves until the input ends.
   *
   * @param place of a node in its cluster; null for a server without a cluster
   */
  static void serve(String target, Path data, @Nullable NodePlace place) throws IOException {
    System.out.println(PORT + (target.equals("echo") ? startEcho() : startServer(data, place)));
    TraceMark.put();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    while (in.readLine() != null) {
      TraceMark.put();
      String use = ProcessUse.ofThisProcess().toLine();
      TraceMark.put();
      System.out.println(USE + use);
    }
    Runtime.getRuntime().halt(0);
  }

  private static int startEcho() {
    return new NettyEcho(ANSWER).address().getPort();
  }

  private static int startServer(Path data, @Nullable NodePlace place) throws IOException {
    List<Integer> ports = FreePorts.find(2);
    List<String> options = new ArrayList<>();
    options.addAll(List.of("--data", data.toString()));
    options.addAll(List.of("--port", "" + ports.get(0), "--http-port", "" + ports.get(1)));
    if (place != null) {
      options.addAll(place.options());
    }
    Thread server = new Thread(() -> runCommand(options), "serve");
    server.setDaemon(true);
    server.start();
    while (!isOpen(ports.get(0))) {
      if (!server.isAlive()) {
        throw new IOException("the server has ended");
      }
      LockSupport.parkNanos(RETRY_NANOS);
    }
    return ports.get(0);
  }

  /** Runs the command {@code serve}; early versions have a main class for each command. */
  private static void runCommand(List<String> options) {
    try {
      List<String> words = new ArrayList<>(options);
      Class<?> type;
      try {
        type = Class.forName(COMMANDS + "Main");
        words.add(0, "serve");
      } catch (ClassNotFoundException e) {
        type = Class.forName(COMMANDS + "Serve");
      }
      Method main = type.getMethod("main", String[].class);
      main.setAccessible(true);
      main.invoke(null, (Object) words.toArray(String[]::new));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isOpen(int port) {
    try {
      new Socket(InetAddress.getLoopbackAddress(), port).close();
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
