using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>
/// What measurements receive whose observations are of another size: other stretches of the same match, which are a game's, and
/// beyond what a game makes the comparison's own stretch with each unit several times.
/// </summary>
/// <param name="own">What all other measurements receive.</param>
/// <param name="isSimulated">Whether that is of the default simulated match; else of a recording.</param>
/// <param name="folder">Where files are made.</param>
internal sealed class ScaleMatches(PlayedMatch own, bool isSimulated, string folder)
{
    // Quarters of a match: far enough apart for its sizes to differ.
    private const uint Parts = 4;

    /// <summary>Earlier game loops of the simulated match: its observations grow from about 45 to 150 KiB.</summary>
    public static IReadOnlyList<uint> SimulatedLoops { get; } = [100, 3_000, 6_000, 10_000];

    /// <summary>Game loops at the quarters of a recording.</summary>
    public static async Task<IReadOnlyList<uint>> LoopsAsync(string recording, uint? from)
    {
        await using var whole = RecordedSource.Open(recording, new PlaybackOptions());
        var played = whole.Playback!.Control(new ControlRequest());
        var (first, last) = (played.FirstGameLoop, played.LastGameLoop);
        return
        [
            .. Enumerable.Range(0, (int)Parts).Select(part => first + (uint)((last - first) * (ulong)part / Parts))
                .Where(loop => loop != (from ?? first)).Distinct(),
        ];
    }

    /// <summary>Makes the files that measurements need and that are not there.</summary>
    public async Task PrepareAsync(IEnumerable<Measurement> measurements, int steps, CancellationToken ct)
    {
        var made = measurements.Where(measurement => !File.Exists(Of(measurement).Recording)).DistinctBy(Of).ToList();
        (uint Loop, string Path)[] stretches =
        [
            .. made.Where(measurement => measurement.Loop is not null).Select(measurement => (measurement.Loop!.Value, Of(measurement).Recording)).Order(),
        ];
        if (stretches.Length > 0)
        {
            await LateSlice.RecordAsync(stretches, SimulatedMatch.DefaultMap, steps, ct);
        }

        foreach (var measurement in made.Where(measurement => measurement.UnitCopies > 1))
        {
            await using var source = RecordedSource.Open(
                own.Recording, new PlaybackOptions { From = own.From, Repeats = true });
            await SliceFile.WriteAsync(
                Of(measurement).Recording, hub => CopyAsync(hub, source, measurement.UnitCopies, steps, ct));
        }
    }

    public PlayedMatch Of(Measurement measurement)
    {
        return measurement switch
        {
            { UnitCopies: > 1 } => Made($"units{measurement.UnitCopies}"),
            { Loop: { } loop } => isSimulated ? Made($"loop{loop}") : own with { From = loop },
            _ => own,
        };
    }

    private PlayedMatch Made(string name) => new(Path.Combine(folder, $"received-{name}.mcap"), null);

    // One perspective's, as measurements receive it.
    private static async Task<MatchEnd> CopyAsync(
        Hub hub, RecordedSource source, int copies, int steps, CancellationToken ct)
    {
        var perspective = source.Description.Perspectives[0];
        hub.Announce(source.Description, new NoRequests());
        for (ulong step = 0; step < (ulong)steps;)
        {
            var frame = await source.NextAsync(ct) ?? throw new CommandException("the recording is over");
            try
            {
                if (frame.Header.Perspective == perspective)
                {
                    var made = UnitCopies.Make(frame.Observation.Span, copies);
                    await hub.PublishAsync(ObservationFrame.Copy(made, frame.Header with { Step = step++ }), ct);
                }
            }
            finally
            {
                frame.Release();
            }
        }

        var end = new MatchEnd { MatchId = source.Description.MatchId, Step = (ulong)steps - 1, Reason = "step limit" };
        hub.End(end);
        return end;
    }
}
