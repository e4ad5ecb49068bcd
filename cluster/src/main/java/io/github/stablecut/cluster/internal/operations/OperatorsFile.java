package io.github.stablecut.cluster.internal.operations;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.internal.recovery.StoreDirectory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file in the directory of a server's store that says where its port for operators is: one line
 * with the URL. A hint for commands that find the directory in use; a server that was killed leaves
 * it behind, so whoever reads it asks the server for its directory.
 */
public final class OperatorsFile {
  private static final Logger LOG = LoggerFactory.getLogger(OperatorsFile.class);

  private OperatorsFile() {}

  /** Says it. A file that can't be written is logged only: nothing depends on it. */
  public static void write(Path directory, InetSocketAddress port) {
    String host =
        port.getAddress().isAnyLocalAddress() ? "127.0.0.1" : port.getAddress().getHostAddress();
    String url =
        "http://%s:%d\n".formatted(host.contains(":") ? "[" + host + "]" : host, port.getPort());
    try (FileChannel file =
        PrivateFiles.open(
            directory.resolve(StoreDirectory.OPERATORS), CREATE, TRUNCATE_EXISTING, WRITE)) {
      int unused = file.write(ByteBuffer.wrap(url.getBytes(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      LOG.warn("commands can't find this server by its directory: they need its URL", e);
    }
  }

  /** Takes it away. */
  public static void delete(Path directory) {
    try {
      boolean unused = Files.deleteIfExists(directory.resolve(StoreDirectory.OPERATORS));
    } catch (IOException e) {
      LOG.debug("the file with the URL of the port for operators is left", e);
    }
  }

  /** What it says, if it is there and says anything. */
  public static Optional<URI> read(Path directory) throws IOException {
    try {
      String url = Files.readString(directory.resolve(StoreDirectory.OPERATORS)).strip();
      return url.startsWith("http://") ? Optional.of(URI.create(url)) : Optional.empty();
    } catch (NoSuchFileException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
