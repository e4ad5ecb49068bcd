package io.github.stablecut.site;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The list of pages that is shown next to each page. Its text consists of groups. A group begins
 * with an unindented line, followed by lines with a document and its name: {@code docs/guide.md
 * Guide}. A directory stands for its pages, which its own page lists. Immutable.
 */
final class Navigation {
  /** A line: a group if it has no document. */
  private record Line(String document, String name) {}

  private final List<Line> lines = new ArrayList<>();

  private Navigation(String text) {
    for (String line : text.lines().filter(line -> !line.isBlank()).toList()) {
      int space = line.strip().indexOf(' ');
      lines.add(
          line.startsWith(" ")
              ? new Line(line.strip().substring(0, space), line.strip().substring(space + 1))
              : new Line("", line));
    }
  }

  /** Parses the text of a navigation. */
  static Navigation of(String text) {
    return new Navigation(text);
  }

  /** The documents that it lists. */
  Set<String> sources() {
    Set<String> sources = new LinkedHashSet<>();
    lines.stream().map(Line::document).filter(name -> !name.isEmpty()).forEach(sources::add);
    return sources;
  }

  /** Renders it as HTML for a page. */
  String html(Document page, Map<String, Document> documents) {
    StringBuilder html = new StringBuilder();
    for (Line line : lines) {
      if (line.document.isEmpty()) {
        html.append("<h2>").append(escaped(line.name)).append("</h2>\n");
        continue;
      }
      Document to = documents.get(line.document);
      String target = to == null ? line.document : to.target();
      html.append("<a href=\"")
          .append(escaped(way(page.target(), target)))
          .append(page.target().equals(target) ? "\" aria-current=\"page\">" : "\">")
          .append(escaped(line.name))
          .append("</a>\n");
    }
    return html.toString();
  }

  private static String way(String from, String to) {
    Path directory = Path.of("/").resolve(from).resolveSibling(".").normalize();
    return directory.relativize(Path.of("/").resolve(to)).toString();
  }

  /** Escapes a text for HTML. */
  static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
