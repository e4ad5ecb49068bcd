package io.github.stablecut.site;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Image;
import org.commonmark.node.Link;

/**
 * Rewrites the links of a document for its page: to other pages, to files copied along, and to the
 * repository for everything else. Confined to one thread.
 */
final class Links extends AbstractVisitor {
  private static final String REPOSITORY = "https://github.com/stablecut/stablecut/blob/main/";

  private final Path root;
  private final Map<String, Document> documents;
  private final Document document;
  private final Set<String> files;
  private final List<String> problems;

  /**
   * Creates the rewriter of a document.
   *
   * @param documents all documents, by source
   * @param files collects files to copy
   * @param problems collects a sentence for each broken link
   */
  Links(
      Path root,
      Map<String, Document> documents,
      Document document,
      Set<String> files,
      List<String> problems) {
    this.root = root;
    this.documents = documents;
    this.document = document;
    this.files = files;
    this.problems = problems;
  }

  @Override
  public void visit(Link link) {
    link.setDestination(destination(link.getDestination()));
    visitChildren(link);
  }

  @Override
  public void visit(Image image) {
    image.setDestination(destination(image.getDestination()));
    visitChildren(image);
  }

  private String destination(String written) {
    if (written.contains("://") || written.startsWith("mailto:")) {
      return written;
    }
    int hash = written.indexOf('#');
    String path = hash < 0 ? written : written.substring(0, hash);
    String anchor = hash < 0 ? "" : written.substring(hash + 1);
    String source = path.isEmpty() ? document.source() : resolved(path);
    Document page = documents.get(source);
    if (page == null) {
      page = documents.get(source + "/README.md");
    }
    if (page != null) {
      if (!anchor.isEmpty() && !page.anchors().contains(anchor)) {
        problems.add(
            "%s links to %s, and %s has no such heading"
                .formatted(document.source(), written, page.source()));
      }
      return relative(page.target()) + (hash < 0 ? "" : "#" + anchor);
    }
    return file(written, source);
  }

  private String file(String written, String source) {
    if (source.startsWith("..") || !Files.exists(root.resolve(source))) {
      problems.add("%s links to %s, which does not exist".formatted(document.source(), written));
      return written;
    }
    if (source.startsWith("docs/") && Files.isRegularFile(root.resolve(source))) {
      files.add(source);
      return relative(source.substring("docs/".length()));
    }
    return REPOSITORY + source;
  }

  private String resolved(String path) {
    return root.relativize(root.resolve(document.source()).resolveSibling(path).normalize())
        .toString();
  }

  /** The path from this document's page to another target of the site. */
  private String relative(String target) {
    Path from = Path.of("/").resolve(document.target()).resolveSibling(".").normalize();
    return from.relativize(Path.of("/").resolve(target)).toString();
  }
}
