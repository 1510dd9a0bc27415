namespace Sc2Bridge.Cli;

/// <summary>Which matches leave a post-mortem.</summary>
internal enum PostMortemMode
{
    /// <summary>Matches that end abnormally.</summary>
    Failed,

    /// <summary>All matches.</summary>
    Always,

    /// <summary>No match.</summary>
    Never,
}
