package io.github.stablecut.site;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.renderer.html.AttributeProvider;

/**
 * Anchors of headings as GitHub generates them: lower case, hyphens for spaces, and no punctuation;
 * the second heading with an anchor gets the suffix {@code -1}. Confined to one document.
 */
final class Anchors extends AbstractVisitor implements AttributeProvider {
  private final Map<String, Integer> seen = new HashMap<>();
  private final StringBuilder text = new StringBuilder();

  /** The anchor of a heading, if it is the first one with it. */
  static String name(String text) {
    return text.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}_ -]", "").replace(' ', '-');
  }

  /** The text of a heading. */
  static String text(Heading heading) {
    Anchors reader = new Anchors();
    reader.visitChildren(heading);
    return reader.text.toString();
  }

  /** The anchor of the next heading. */
  String next(Heading heading) {
    String name = name(text(heading));
    int again = seen.merge(name, 1, Integer::sum) - 1;
    return again == 0 ? name : name + "-" + again;
  }

  @Override
  public void visit(Text part) {
    text.append(part.getLiteral());
  }

  @Override
  public void visit(Code part) {
    text.append(part.getLiteral());
  }

  @Override
  public void setAttributes(Node node, String tag, Map<String, String> attributes) {
    if (node instanceof Heading heading) {
      attributes.put("id", next(heading));
    }
  }
}
