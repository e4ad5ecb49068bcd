package io.github.stablecut.examples.web;

import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.cluster.command.ShellCommand;
import io.github.stablecut.examples.TemporaryDirectory;
import io.github.stablecut.web.WebApp;
import io.github.stablecut.web.WebServer;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Option;

/**
 * A command that serves a page until the process is stopped. Its data is in a temporary directory,
 * which is deleted at the end.
 */
public abstract class PageCommand extends ShellCommand {
  private static final long CLOSING_SECONDS = 10;

  @Option(
      names = "--port",
      paramLabel = "N",
      defaultValue = "8080",
      description = "port of the page; 0 for any free one; default ${DEFAULT-VALUE}")
  private int port;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description =
          "address to listen on; default ${DEFAULT-VALUE}, reachable from this machine only."
              + " Everybody who reaches it can use the page: there are no passwords")
  private String bind = "127.0.0.1";

  private final CountDownLatch stopSignal = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Creates a command without options. */
  protected PageCommand() {}

  /**
   * The application that a command serves.
   *
   * @param app the page and its requests
   * @param closing runs at the end
   */
  public record ServedApp(WebApp app, Runnable closing) {}

  /** Opens the application in an empty directory. */
  protected abstract ServedApp open(Path directory) throws IOException;

  @Override
  public final Integer call() throws IOException, InterruptedException {
    if (port < 0 || port > 65_535) {
      throw new SettingsException("--port must be 0 to 65,535, not " + port);
    }
    InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(bind), port);
    Runtime.getRuntime().addShutdownHook(new Thread(this::end, "page-shutdown"));
    try (TemporaryDirectory directory = TemporaryDirectory.createToBeClosed("stablecut-page-")) {
      serve(directory.path(), address);
    } finally {
      closed.countDown();
    }
    return 0;
  }

  private void serve(Path directory, InetSocketAddress address)
      throws IOException, InterruptedException {
    ServedApp opened = open(directory);
    try (WebServer server = WebServer.start(opened.app, address)) {
      out().println("Open " + server.uri() + " in a browser; press Ctrl-C to stop.");
      out().flush();
      stopSignal.await();
    } catch (BindException e) {
      throw new SettingsException(
          "can't listen on %s port %d: %s; choose another --port"
              .formatted(bind, port, e.getMessage()));
    } finally {
      opened.closing.run();
    }
  }

  /** Stops the command, on the JVM's shutdown thread. */
  private void end() {
    stopSignal.countDown();
    try {
      closed.await(CLOSING_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
