namespace Sc2Bridge.Bench;

/// <summary>Everything that <c>sc2bridge codec</c> measured.</summary>
/// <param name="Full">Every step of the match; else samples.</param>
/// <param name="Machine">On what.</param>
/// <param name="Match">Which steps of which match.</param>
/// <param name="Codecs">Times of C# and Python over the match.</param>
/// <param name="Sizes">Sizes plain and compressed, rates, and link speeds.</param>
/// <param name="Pythons">Each protobuf engine of each Python, on some of the steps.</param>
/// <param name="Left">What was not measured, and why.</param>
internal sealed record CodecReport(
    bool Full,
    Machine Machine,
    string Match,
    IReadOnlyList<CodecRow> Codecs,
    IReadOnlyList<SizeRow> Sizes,
    IReadOnlyList<PythonResult<CodecRow>> Pythons,
    IReadOnlyList<string> Left);
