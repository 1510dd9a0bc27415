using SC2APIProtocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings.Analysis;

/// <summary>
/// Analyses a match while it is recorded. If the analysis fails, the match is recorded without an analysis. Not thread-safe.
/// </summary>
/// <param name="data">The game's names and costs.</param>
/// <param name="description">The match.</param>
/// <param name="warn">Called with one line if the analysis fails.</param>
internal sealed class LiveAnalysis(ResponseData data, MatchDescription description, Action<string> warn)
{
    private MatchAnalyst? _analyst = new(data, description);

    /// <summary>Adds a recorded observation.</summary>
    public void Add(uint perspective, ReadOnlyMemory<byte> observation) =>
        Try(analyst => analyst.Add(perspective, observation.Span));

    /// <summary>Adds an agent's recorded actions with their outcomes.</summary>
    public void Add(ActionRecord record) => Try(analyst => analyst.Add(record));

    /// <summary>The attachment's bytes; null if the analysis failed.</summary>
    public byte[]? Finish()
    {
        byte[]? json = null;
        Try(analyst => json = AnalysisJson.Write(analyst.Finish()));
        return json;
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
            warn($"the recording gets no analysis: {failure.Message}");
        }
    }
}
