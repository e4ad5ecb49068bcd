package io.github.stablecut.crdt;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The bytes of the states of lists and texts. Thread-safe.
 *
 * <p>In one piece: the runs, each as long as it can be ({@link RunsCodec}). If the encoder takes
 * pages, first a byte, 0 for that, or 1 for a state in pages:
 *
 * <pre>
 *   numbers  unsigned: how many numbers have been given to nodes
 *   root     a reference ({@link RunPages})
 *   starts   where runs are ({@link RunStarts})
 *   parents  the number of the node above each, by its number: a map
 * </pre>
 */
final class RgaStateCodec<C> {
  private final RunsCodec<C> runs;

  /**
   * @param name of the type, for messages
   */
  RgaStateCodec(String name, Content<C> content) {
    this.runs = new RunsCodec<>(name, content);
  }

  void write(Elements<C> elements, Encoder out) {
    Optional<PageWriter> pages = out.pages();
    if (pages.isPresent()) {
      boolean isInPages =
          elements.tree().size() >= pages.get().minEntries()
              || elements.tree().visibleBytes() > pages.get().maxInlineBytes();
      out.writeFlag(isInPages);
      if (isInPages) {
        elements.tree().writeInPages(runs, pages.get(), out);
        return;
      }
    }
    runs.write(elements.longestRuns(), out);
  }

  Elements<C> read(Decoder in) {
    Optional<Pages> pages = in.pages();
    if (pages.isPresent() && in.readFlag()) {
      return new Elements<>(
          runs.content(), RunTree.readInPages(new RunPages<>(pages.get(), runs), in));
    }
    return new Elements<>(runs.content(), tree(runs.read(in)));
  }

  private RunTree<C> tree(List<Run<C>> longest) {
    RunOrder order = new RunOrder(longest.stream().map(Run::ids).toList());
    runs.check(!order.isInterleaving(), "dots of different runs alternate");
    List<Run<C>> pieces = new ArrayList<>(longest.size());
    for (int i = 0; i < longest.size(); i++) {
      boolean isOne = order.followsLeft(i) && longest.get(i - 1).precedes(longest.get(i));
      runs.check(!isOne, "one run is written as two");
      pieces.addAll(longest.get(i).pieces(runs.content()));
    }
    return RunTree.of(pieces);
  }
}
