
namespace Sc2Bridge.Bench;

/// <summary>Everything that <c>sc2bridge codec</c> measured.</summary>
/// <param name="Full">Every step of the match, and messages by BenchmarkDotNet; else samples.</param>
/// <param name="Machine">On what.</param>
/// <param name="Match">Which steps of which match.</param>
/// <param name="Codecs">Times of C# and Python over the match.</param>
/// <param name="Published">The same table as it was published.</param>
/// <param name="PublishedMachine">What that was measured on.</param>
/// <param name="Sizes">Sizes plain and compressed, rates, and link speeds.</param>
/// <param name="JsonRatios">JSON's size in times protobuf's, style by style.</param>
/// <param name="UnitTable">The unit table in three forms (Python).</param>
/// <param name="Messages">Small, medium and large messages (C#).</param>
/// <param name="Pythons">Each protobuf engine of each Python, on some of the steps.</param>
/// <param name="Node">Node, on some of the steps; null where it was not to be had.</param>
/// <param name="Goals">What this project wants to reach, on the match and on the worst-case sequence.</param>
/// <param name="Left">What was not measured, and why.</param>
internal sealed record CodecReport(
    bool Full,
    Machine Machine,
    string Match,
    IReadOnlyList<CodecRow> Codecs,
    IReadOnlyList<CodecRow> Published,
    string PublishedMachine,
    IReadOnlyList<SizeRow> Sizes,
    IReadOnlyList<JsonRatio> JsonRatios,
    IReadOnlyList<UnitTableRow> UnitTable,
    IReadOnlyList<MessageRow> Messages,
    IReadOnlyList<PythonResult<CodecRow>> Pythons,
    NodeResult? Node,
    IReadOnlyList<GoalRow> Goals,
    IReadOnlyList<string> Left);
