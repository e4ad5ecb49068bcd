package io.github.stablecut.site;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pages of the documents. */
final class SiteTest {
  private static final Pattern WAYS = Pattern.compile("(?:href|src)=\"([^\"]*)\"");

  @TempDir private Path directory;

  private static Path root() {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("docs/glossary.md"))) {
      root = Objects.requireNonNull(root.getParent());
    }
    return root;
  }

  private static Navigation navigation() throws IOException {
    return Navigation.of(Site.resource("navigation.txt"));
  }

  @CanIgnoreReturnValue
  private Path document(String name, String text) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.resolveSibling("."));
    return Files.writeString(file, text);
  }

  @Test
  void allLinksOfTheDocumentsLeadSomewhere() throws IOException {
    assertThat(Site.read(root()).problems()).isEmpty();
  }

  @Test
  void everyPageIsInTheNavigationOrAnotherDirectory() throws IOException {
    assertThat(Site.read(root()).sources(navigation()))
        .allMatch(source -> source.matches("docs/[a-z]+/.*"));
  }

  @Test
  void everyWayOfTheSiteLeadsToAFileAndItsHeading() throws IOException {
    Path target = directory.resolve("site");
    Site.read(root()).write(target, navigation());

    int followed = 0;
    try (Stream<Path> pages = Files.walk(target)) {
      for (Path page : pages.filter(file -> file.toString().endsWith(".html")).toList()) {
        for (MatchResult way : WAYS.matcher(Files.readString(page)).results().toList()) {
          followed += follow(page, way.group(1)) ? 1 : 0;
        }
      }
    }
    assertThat(followed).isGreaterThan(1_000);
    assertThat(target.resolve("images/console.png")).exists();
    assertThat(target.resolve("tools.schema.json")).exists();
  }

  private static boolean follow(Path page, String way) throws IOException {
    if (way.contains("://")) {
      return false;
    }
    String[] parts = way.split("#", -1);
    Path file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
    assertThat(file).as("%s leads to %s", page, way).isRegularFile();
    if (parts.length > 1) {
      assertThat(Files.readString(file)).as(way).contains("id=\"" + parts[1] + "\"");
    }
    return true;
  }

  @Test
  void linksThatLeadNowhereAreNamed() throws IOException {
    document("docs/a.md", "# A\n[b](b.md), [c](c.md#there), [d](c.md#here)\n");
    document("docs/c.md", "# Here\n![picture](none.png) [out](../../x)\n");

    assertThat(Site.read(directory).problems())
        .containsExactly(
            "docs/a.md links to b.md, which does not exist",
            "docs/a.md links to c.md#there, and docs/c.md has no such heading",
            "docs/c.md links to none.png, which does not exist",
            "docs/c.md links to ../../x, which does not exist");
  }

  @Test
  void headingsAreNamedAsOnGitHub() throws IOException {
    document("docs/a.md", "# The `--json` of *all*\n## Same\n## Same\n[x](#same-1)\n");
    Site site = Site.read(directory);
    site.write(directory.resolve("site"), Navigation.of("Pages\n  docs/a.md A\n"));

    assertThat(site.problems()).isEmpty();
    assertThat(Files.readString(directory.resolve("site/a.html")))
        .contains("<title>The --json of all · Stablecut</title>")
        .contains("id=\"the---json-of-all\"", "id=\"same\"", "id=\"same-1\"")
        .contains("<a href=\"a.html\" aria-current=\"page\">A</a>");
  }

  @Test
  void linksToCodeLeadToTheRepository() throws IOException {
    document("docs/a/README.md", "# A\n[code](../../src/X.java) [b](../b.md)\n");
    document("docs/b.md", "# B\n[a](a)\n");
    document("src/X.java", "class X {}\n");
    Site site = Site.read(directory);
    site.write(directory.resolve("site"), Navigation.of("Pages\n  docs/b.md B\n"));

    assertThat(site.problems()).isEmpty();
    List<String> ways =
        WAYS.matcher(Files.readString(directory.resolve("site/a/index.html")))
            .results()
            .map(way -> way.group(1))
            .toList();
    assertThat(ways)
        .containsExactly(
            "../style.css",
            "../b.html",
            "#contents",
            "https://github.com/stablecut/stablecut/blob/main/src/X.java",
            "../b.html");
  }
}
