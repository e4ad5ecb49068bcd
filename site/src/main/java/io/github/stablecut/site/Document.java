package io.github.stablecut.site;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;

/**
 * A Markdown document and its page.
 *
 * @param source path from the root of the repository, such as {@code docs/crdts/README.md}
 * @param target path from the root of the site, such as {@code crdts/index.html}
 * @param title the text of its first heading; the source if there is none
 * @param anchors of its headings
 */
record Document(String source, String target, Node content, String title, Set<String> anchors) {
  /** Copies the anchors. */
  Document {
    anchors = Set.copyOf(anchors);
  }

  /** Creates a document from its parsed content. */
  static Document of(String source, Node content) {
    Headings headings = new Headings();
    content.accept(headings);
    String title = headings.first.isEmpty() ? source : headings.first;
    return new Document(source, target(source), content, title, headings.names);
  }

  private static String target(String source) {
    String path = source.replaceFirst("^docs/", "");
    return path.endsWith("README.md")
        ? path.replaceFirst("README\\.md$", "index.html")
        : path.toLowerCase(Locale.ROOT).replaceFirst("\\.md$", ".html");
  }

  /** Collects the headings. */
  private static final class Headings extends AbstractVisitor {
    private final Anchors anchors = new Anchors();
    private final Set<String> names = new HashSet<>();
    private String first = "";

    @Override
    public void visit(Heading heading) {
      if (first.isEmpty()) {
        first = Anchors.text(heading);
      }
      names.add(anchors.next(heading));
    }
  }
}
