namespace Sc2Bridge.Games;

/// <summary>What to make of something that was found.</summary>
public enum Verdict
{
    /// <summary>As it should be.</summary>
    Ok,

    /// <summary>Worth knowing; a match can be played.</summary>
    Note,

    /// <summary>A match that is started without further options would fail of it.</summary>
    Problem,
}

/// <summary>Something that was looked at on this machine.</summary>
/// <param name="Subject">What it is about, in a word or two.</param>
/// <param name="Verdict">What to make of it.</param>
/// <param name="Found">What is there, in one line.</param>
/// <param name="Advice">What to do about it; empty where there is nothing to do.</param>
public sealed record Finding(string Subject, Verdict Verdict, string Found, string Advice = "");
