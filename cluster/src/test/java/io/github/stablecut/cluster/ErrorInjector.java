package io.github.stablecut.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
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

/** Makes the {@link ErrorAgent} of another JVM throw errors. */
final class ErrorInjector implements AutoCloseable {
  private final Socket socket;
  private final BufferedReader in;
  private final PrintStream out;

  /**
   * Connects to a JVM that has begun its main method.
   *
   * @param directory the directory given to {@link #flag}
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
   * Returns the JVM's flag that loads the agent.
   *
   * @param directory for the agent's files, one per JVM
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

  @CanIgnoreReturnValue
  private String command(String command) throws IOException {
    out.println(command);
    String answer = in.readLine();
    if (answer == null) {
      throw new IOException("the JVM has ended");
    }
    return answer;
  }

  /** Returns the kinds of the JVM's threads. */
  Set<String> kinds() throws IOException {
    Set<String> kinds = new TreeSet<>();
    for (String name : command("threads").split("\t", -1)) {
      kinds.add(ErrorAgent.kind(name));
    }
    return kinds;
  }

  /** Arms an error for the first thread of a kind that has entered the given number of methods. */
  void arm(String kind, int entries) throws IOException {
    command("arm\t%s\t%d".formatted(kind, entries));
  }

  /** Disarms the error. */
  void disarm() throws IOException {
    command("disarm");
  }

  /** Where the error was thrown; empty if it was not. */
  String thrown() throws IOException {
    return command("thrown");
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
