using SC2APIProtocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings.Analysis;

/// <summary>
/// Analyses a match while it is recorded. If that fails, the match is recorded without an analysis. Not thread-safe.
/// </summary>
/// <param name="data">The game's names and costs.</param>
/// <param name="description">The match.</param>
/// <param name="told">Gets one line if it fails.</param>
internal sealed class LiveAnalysis(ResponseData data, MatchDescription description, Action<string> told)
{
    private MatchAnalyst? _analyst = new(data, description);

    /// <summary>Adds an observation that is recorded.</summary>
    public void Add(uint perspective, ReadOnlyMemory<byte> observation) =>
        Try(analyst => analyst.Add(perspective, observation.Span));

    /// <summary>Adds an agent's recorded actions with their outcomes.</summary>
    public void Add(ActionRecord record) => Try(analyst => analyst.Add(record));

    /// <summary>The attachment's bytes; null if the analysis failed.</summary>
    public byte[]? Finish()
    {
        byte[]? written = null;
        Try(analyst => written = AnalysisJson.Write(analyst.Finish()));
        return written;
    }

    private void Try(Action<MatchAnalyst> use)
    {
        if (_analyst is not { } analyst)
        {
            return;
        }

        try
        {
            use(analyst);
        }
        catch (Exception failure)
        {
            _analyst = null;
            told($"the recording gets no analysis: {failure.Message}");
        }
    }
}
