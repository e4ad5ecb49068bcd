package io.github.stablecut.examples.gitlog;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.stablecut.cluster.command.CommandRunner;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of a run of {@code gitlog}.
 *
 * @param code the exit code
 * @param out standard output
 * @param err standard error
 */
record CommandResult(int code, String out, String err) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Runs {@code gitlog} in this JVM. */
  static CommandResult gitlog(Object... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    String[] texts = List.of(args).stream().map(Object::toString).toArray(String[]::new);
    int code = CommandRunner.run(new GitLog(), new PrintWriter(out), new PrintWriter(err), texts);
    return new CommandResult(code, out.toString(), err.toString());
  }

  /** Reads the complete report of a store from the output of the command that prints it. */
  static TopReport top(Path data, String... more) throws JsonProcessingException {
    List<Object> args = new ArrayList<>(List.of("top", "--data", data, "--json", "-n", "0"));
    args.addAll(List.of(more));
    CommandResult result = gitlog(args.toArray());
    if (result.code != 0) {
      throw new AssertionError("top has failed: " + result);
    }
    return JSON.readValue(result.out, TopReport.class);
  }
}
