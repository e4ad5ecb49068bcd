package io.github.stablecut.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** Has errors thrown in another JVM, by the {@link ErrorAgent} that it was started with. */
final class ErrorInjector implements AutoCloseable {
  private final Socket socket;
  private final BufferedReader in;
  private final PrintStream out;

  /**
   * Connects to a JVM, which has begun its main method.
   *
   * @param directory the one of {@link #flag}
   */
  ErrorInjector(Path directory) throws IOException {
    int port = Integer.parseInt(Files.readString(port(directory)));
    this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
    this.in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
    this.out = new PrintStream(socket.getOutputStream(), true, UTF_8);
  }

  private static Path port(Path directory) {
    return directory.resolve("error-agent.port");
  }

  /**
   * What a JVM is started with.
   *
   * @param directory for files of the agent of one JVM
   */
  static String flag(Path directory) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest
        .getMainAttributes()
        .put(new Attributes.Name("Premain-Class"), ErrorAgent.class.getName());
    // The class itself is on the JVM's class path.
    Path jar = directory.resolve("error-agent.jar");
    try (OutputStream file = Files.newOutputStream(jar)) {
      new JarOutputStream(file, manifest).close();
    }
    return "-javaagent:" + jar + "=" + port(directory);
  }

  private String order(String order) throws IOException {
    out.println(order);
    String answer = in.readLine();
    if (answer == null) {
      throw new IOException("the JVM has ended");
    }
    return answer;
  }

  /** The kinds of its threads. */
  Set<String> kinds() throws IOException {
    Set<String> kinds = new TreeSet<>();
    for (String name : order("threads").split("\t", -1)) {
      kinds.add(ErrorAgent.kind(name));
    }
    return kinds;
  }

  /** Has an error thrown on the first thread of a kind that has entered so many methods. */
  void arm(String kind, int entries) throws IOException {
    var unused = order("arm\t%s\t%d".formatted(kind, entries));
  }

  /** No error is to be thrown any more. */
  void disarm() throws IOException {
    var unused = order("disarm");
  }

  /** Where the error was thrown; empty if it was not. */
  String thrown() throws IOException {
    return order("thrown");
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
