package io.github.stablecut.examples.gitlog;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Decodes paths as git writes them (core.quotePath). */
final class QuotedPathTest {
  @Test
  void leavesPlainPathsUnchanged() {
    assertThat(QuotedPath.decode("a b\\c.txt")).contains("a b\\c.txt");
  }

  @Test
  void decodesEveryEscapeOfGit() {
    assertThat(QuotedPath.decode("\"\\a\\b\\t\\n\\v\\f\\r\\\"\\\\x\\303\\251\""))
        .contains("\u0007\b\t\n\u000b\f\r\"\\xé");
  }

  @Test
  void distinguishesPathsThatAreNotUtf8() {
    assertThat(QuotedPath.decode("\"\\377\"")).contains("\"\\377\"");
    assertThat(QuotedPath.decode("\"\\376\"")).contains("\"\\376\"");
  }

  @Test
  void refusesInvalidPaths() {
    assertThat(QuotedPath.decode("\"")).isEmpty();
    assertThat(QuotedPath.decode("\"\"")).isEmpty();
    assertThat(QuotedPath.decode("\"a\"b\"")).isEmpty();
    assertThat(QuotedPath.decode("\"\\8\"")).isEmpty();
    assertThat(QuotedPath.decode("\"a\\\"")).isEmpty();
  }
}
