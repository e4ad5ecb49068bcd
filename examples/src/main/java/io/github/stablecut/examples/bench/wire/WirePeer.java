package io.github.stablecut.examples.bench.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.cluster.Server;
import io.github.stablecut.cluster.SettingsLoader;
import io.github.stablecut.examples.ChildJvm;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A process that answers at a local port and reports its processor time. */
public record WirePeer(Process process, InetSocketAddress address) implements AutoCloseable {
  private static final String HEAP = "1g";
  private static final String REDIS = "redis-server";

  /** A server of AntidoteDB's protocol with durable commits. */
  public static WirePeer server(Path data) throws IOException {
    return jvm("server", data.toString());
  }

  /** Netty, answering each frame with the same bytes. */
  public static WirePeer echo(byte[] answer) throws IOException {
    return jvm("echo", HexFormat.of().formatHex(answer));
  }

  private static WirePeer jvm(String... args) throws IOException {
    ProcessBuilder builder = ChildJvm.withHeap(HEAP, WirePeer.class, args);
    builder.command().add(1, "-Dstablecut.log=ERROR");
    Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String port = process.inputReader(UTF_8).readLine();
    if (port == null) {
      throw new IOException("the process exited: see its messages above");
    }
    return new WirePeer(process, at(Integer.parseInt(port)));
  }

  private static InetSocketAddress at(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /** Redis with a sync before each write's answer; empty if it is not installed. */
  public static Optional<WirePeer> redis(Path directory) throws IOException, InterruptedException {
    Optional<Path> program =
        Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
            .map(folder -> Path.of(folder, REDIS))
            .filter(Files::isExecutable)
            .findFirst();
    if (program.isEmpty()) {
      return Optional.empty();
    }
    int port = FreePorts.find(1).get(0);
    Process process =
        new ProcessBuilder(
                List.of(
                    program.get().toString(),
                    "--bind",
                    "127.0.0.1",
                    "--port",
                    "" + port,
                    "--dir",
                    Files.createDirectories(directory).toString(),
                    "--save",
                    "",
                    "--appendonly",
                    "yes",
                    "--appendfsync",
                    "always"))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    WirePeer redis = new WirePeer(process, at(port));
    redis.awaitPort();
    return Optional.of(redis);
  }

  private void awaitPort() throws IOException, InterruptedException {
    while (true) {
      try {
        new Socket(address.getAddress(), address.getPort()).close();
        return;
      } catch (IOException e) {
        if (!process.isAlive()) {
          throw new IOException(REDIS + " exited", e);
        }
        Thread.sleep(Duration.ofMillis(50).toMillis());
      }
    }
  }

  public Duration processor() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Serves until the input ends. */
  public static void main(String[] args) throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    if (args[0].equals("echo")) {
      try (NettyEcho echo = new NettyEcho(HexFormat.of().parseHex(args[1]))) {
        System.out.println(echo.address().getPort());
        in.readLine();
      }
      return;
    }
    Map<String, Object> settings = Map.of("data", args[1], "port", 0, "operations.enabled", false);
    try (Server server = Server.start(SettingsLoader.load(Optional.empty(), settings))) {
      System.out.println(server.address().getPort());
      in.readLine();
    }
  }

  /** Kills the process, whose data is not needed. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
