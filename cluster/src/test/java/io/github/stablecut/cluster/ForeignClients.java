package io.github.stablecut.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Runs AntidoteDB's own clients for other languages, unchanged, from their registries. Tests report
 * a missing language or registry and skip; in CI (the variable {@code CI} is set) they fail.
 */
final class ForeignClients {
  private static final Path CLIENTS = Path.of("src/test/clients").toAbsolutePath();

  /** Downloads are kept here for the next run. */
  private static final Path FETCHED = Path.of("target/clients").toAbsolutePath();

  /** The Python interpreter of the client's virtual environment. */
  static final String PYTHON = FETCHED.resolve("python/venv/bin/python").toString();

  private ForeignClients() {}

  /** The output and the exit code of a program. */
  record ProcessResult(int code, String output) {}

  /** Runs a program to its end. */
  static ProcessResult run(Path in, Map<String, String> environment, String... command) {
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(in.toFile()).redirectErrorStream(true);
    builder.environment().putAll(environment);
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), UTF_8);
      return new ProcessResult(process.waitFor(), output);
    } catch (IOException e) {
      return new ProcessResult(127, e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new ProcessResult(130, e.toString());
    }
  }

  /** Runs a preparation of the tests. If it fails, skips the test, or fails it in CI. */
  private static void prepare(Path in, String... command) {
    ProcessResult ended = run(in, Map.of(), command);
    if (ended.code != 0) {
      String what =
          "SKIPPED: \"%s\" can't be run here, so this client is not tested: %s"
              .formatted(String.join(" ", command), ended.output);
      if (System.getenv("CI") != null) {
        throw new AssertionError(what);
      }
      System.err.println(what);
      abort(what);
    }
  }

  /** A folder for a language with copies of its files. */
  private static Path folder(String language) throws IOException {
    Path folder = Files.createDirectories(FETCHED.resolve(language));
    try (var files = Files.list(CLIENTS.resolve(language))) {
      for (Path file : files.toList()) {
        Files.write(folder.resolve(file.getFileName()), Files.readAllBytes(file));
      }
    }
    return folder;
  }

  /** The folder with the JavaScript client; skips the test if that is missing. */
  static Path javaScript() throws IOException {
    Path folder = folder("javascript");
    if (!Files.exists(folder.resolve("node_modules/antidote_ts_client/dist/test.js"))) {
      prepare(folder, "npm", "install", "--no-audit", "--no-fund", "--no-package-lock");
    }
    prepare(folder, "node", "--version");
    return folder;
  }

  /** The folder in which {@link #PYTHON} finds its client; skips the test if that is missing. */
  static Path python() throws IOException {
    Path folder = folder("python");
    if (!Files.exists(folder.resolve("installed"))) {
      prepare(folder, "python3", "-m", "venv", "venv");
      prepare(folder, PYTHON, "-m", "pip", "install", "-q", "-r", "requirements.txt");
      Files.write(folder.resolve("installed"), List.of("yes"));
    }
    return folder;
  }
}
