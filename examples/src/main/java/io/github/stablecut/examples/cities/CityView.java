package io.github.stablecut.examples.cities;

import java.util.List;

/**
 * What a city's pane shows. Immutable.
 *
 * @param links to the other cities
 * @param posts the newest first
 * @param causal the comments as they are read at one snapshot with the posts
 * @param eventual the comments as they have arrived, each by itself
 */
record CityView(
    String name,
    List<Link> links,
    List<PostView> posts,
    Seats seats,
    Comments causal,
    Comments eventual) {
  /**
   * How another city is heard.
   *
   * @param isHeard whether anything has come from it within the last seconds
   * @param behindSeconds how old the news from there are
   */
  record Link(String city, boolean isHeard, long behindSeconds) {}

  /** A post. */
  record PostView(String id, String city, String text, long likes) {}

  /**
   * The seats of the concert, as far as this city knows.
   *
   * @param rights how many each city may sell
   */
  record Seats(int all, List<Long> rights) {}

  /**
   * A comment.
   *
   * @param isOrphan whether the post that it answers is not here
   */
  record CommentView(String id, String post, String city, String text, boolean isOrphan) {}

  /**
   * Comments.
   *
   * @param comments the oldest first
   * @param orphansSeen how many have ever been seen here without their post
   */
  record Comments(List<CommentView> comments, int orphansSeen) {}
}
