namespace Sc2Bridge.Games;

/// <summary>What a finding means for a match.</summary>
public enum Verdict
{
    /// <summary>The check found no problem.</summary>
    Ok,

    /// <summary>The user should know this result. A match can be played anyway.</summary>
    Note,

    /// <summary>A match that is started without further options would fail because of this result.</summary>
    Problem,
}

/// <summary>The result of one check of this machine.</summary>
/// <param name="Subject">What was checked, in one or two words.</param>
/// <param name="Verdict">What the result means for a match.</param>
/// <param name="Found">The result, in one line.</param>
/// <param name="Advice">The remedy; empty if nothing must be done.</param>
public sealed record Finding(string Subject, Verdict Verdict, string Found, string Advice = "");
