package io.github.stablecut.examples.gitlog;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.examples.gitlog.Commit.FileChange;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the commits of a log that {@link #ARGUMENTS} produced:
 *
 * <pre>
 *   commit 8f302cdbf856ad3a21d7f88f65fa4277c42b32c0      40 digits, or 64
 *   parents e4badee9046b4187b5f089132f05a5e29c06afc2     none, one or several
 *   author Ada Lovelace                                  a name, which may be empty
 *   date 2014-02-08T18:25:12-08:00                       or nothing
 *                                                        an empty line, if files follow
 *   16    0    .gitignore                                lines added, lines deleted, path
 *   -     -    logo.png                                  a binary file
 *   2     1    "na\303\257ve \"file\".txt"               a path that git has quoted
 * </pre>
 *
 * <p>Confined to one thread.
 */
final class CommitReader {
  /** The arguments of {@code git}. */
  static final List<String> ARGUMENTS =
      List.of(
          "log",
          "--reverse",
          "--no-renames",
          "--numstat",
          "--date=iso-strict",
          "--format=commit %H%nparents %P%nauthor %an%ndate %aI",
          "HEAD");

  private static final Pattern HASH = Pattern.compile("[0-9a-f]{40}|[0-9a-f]{64}");
  private static final Pattern PARENTS = Pattern.compile("([0-9a-f]{40,64}( |$))*");
  private static final Pattern NAME = Pattern.compile("[^\\n]*");

  /** Lenient, because git writes the commit's date as it is, with zones of many hours. */
  private static final Pattern DATE =
      Pattern.compile("(-?\\d{4,}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(Z|[+-]\\d+:\\d\\d))?");

  private static final Pattern CHANGE =
      Pattern.compile("(\\d{1,18}|-)\t(\\d{1,18}|-)\t(.+)", Pattern.DOTALL);

  private final LogLines lines;

  /** The next line; empty at the end. */
  private Optional<String> line;

  /**
   * @param in the log; not closed
   * @param name the log's name, for messages
   */
  CommitReader(InputStream in, String name) {
    this.lines = new LogLines(in, name);
    this.line = lines.next();
  }

  /**
   * Reads the next commit; empty at the end.
   *
   * @throws GitLogException if the log is malformed; the message names the line
   */
  Optional<Commit> next() {
    if (line.isEmpty()) {
      return Optional.empty();
    }
    String hash = field("commit", HASH, "40 or 64 hexadecimal digits");
    field("parents", PARENTS, "hashes of commits");
    String author = field("author", NAME, "a name");
    String date = field("date", DATE, "a date such as 2014-02-08T18:25:12-08:00");
    return Optional.of(new Commit(hash, author, date, changes()));
  }

  @CanIgnoreReturnValue
  private String field(String name, Pattern form, String description) {
    // Editors strip the space after a name without a value.
    String text = line.filter(name::equals).isPresent() ? name + " " : line.orElse("");
    String value = text.startsWith(name + " ") ? text.substring(name.length() + 1) : "\n";
    if (line.isEmpty() || !form.matcher(value).matches()) {
      throw malformed("\"%s \" and %s".formatted(name, description));
    }
    line = lines.next();
    return value;
  }

  /** The exception for a line with an unexpected successor. */
  private GitLogException malformed(String expected) {
    return line.map(text -> lines.malformed(expected, quote(text)))
        .orElseGet(
            () -> lines.malformed("followed by " + expected, "the last: the log is cut off"));
  }

  private List<FileChange> changes() {
    List<FileChange> changes = new ArrayList<>();
    if (line.isPresent() && line.get().isEmpty()) {
      line = lines.next();
      do {
        changes.add(change());
        line = lines.next();
      } while (line.isPresent() && !line.get().startsWith("commit "));
    }
    return changes;
  }

  private FileChange change() {
    Matcher matcher = CHANGE.matcher(line.orElse(""));
    if (matcher.matches()) {
      Optional<String> path = QuotedPath.decode(matcher.group(3));
      if (path.isPresent()) {
        return new FileChange(count(matcher.group(1)), count(matcher.group(2)), path.get());
      }
    }
    throw malformed("lines added, lines deleted and a path, with tabs between");
  }

  private static long count(String digits) {
    return digits.equals("-") ? 0 : Long.parseLong(digits);
  }

  /** Quotes the beginning of an arbitrary line. */
  private static String quote(String text) {
    return '"' + (text.length() <= 60 ? text : text.substring(0, 60) + "…") + '"';
  }
}
