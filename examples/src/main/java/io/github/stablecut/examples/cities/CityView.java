package io.github.stablecut.examples.cities;

import java.util.List;

/**
 * The content of a city's pane. Immutable.
 *
 * @param links to the other cities
 * @param posts the newest first
 * @param causal the comments at the same snapshot as the posts
 * @param eventual the comments in the order of their arrival
 */
record CityView(
    String name,
    List<Link> links,
    List<PostView> posts,
    Seats seats,
    Comments causal,
    Comments eventual) {
  /**
   * The link to another city.
   *
   * @param isHeard whether anything has arrived from it within the last seconds
   * @param behindSeconds the age of the newest data from there
   */
  record Link(String city, boolean isHeard, long behindSeconds) {}

  /** A post. */
  record PostView(String id, String city, String text, long likes) {}

  /**
   * The seats of the concert, as far as this city knows.
   *
   * @param rights the number that each city may sell
   */
  record Seats(int all, List<Long> rights) {}

  /**
   * A comment.
   *
   * @param isOrphan whether the post that it answers is missing here
   */
  record CommentView(String id, String post, String city, String text, boolean isOrphan) {}

  /**
   * A list of comments.
   *
   * @param comments the oldest first
   * @param orphansSeen the number of comments ever seen here without their post
   */
  record Comments(List<CommentView> comments, int orphansSeen) {}
}
