using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>The observations that are sent, in rotation: one sent again and again would sit in the caches.</summary>
/// <param name="observations">Serialized <c>ResponseObservation</c>s, at least one.</param>
/// <param name="origin">Where they came from.</param>
internal sealed class MeasuredFrames(byte[][] observations, string origin)
{
    // Steps that follow each other, as a subscriber receives them: how alike they are decides what compressing costs.
    // These are the match's last ones, its largest; together they take more than the caches hold.
    private const int FirstLoop = 16_700;
    private const int UsualCount = 64;

    /// <summary>Where they came from.</summary>
    public string Origin => origin;

    /// <summary>How many different ones there are.</summary>
    public int Count => observations.Length;

    /// <summary>The mean length in bytes.</summary>
    public double MeanLength => observations.Average(observation => observation.Length);

    /// <summary>Every one, in order.</summary>
    public IReadOnlyList<byte[]> All => observations;

    /// <summary>The serialized <c>ResponseObservation</c> of a step.</summary>
    public byte[] Observation(ulong step) => observations[step % (ulong)observations.Length];

    /// <summary>Those of a folder; of a simulated match where none is named.</summary>
    /// <exception cref="CommandException">There are none.</exception>
    public static MeasuredFrames Open(string? folder, CancellationToken ct)
    {
        if (folder is null)
        {
            return SimulatedFrames.Consecutive(FirstLoop, UsualCount, ct);
        }

        string[] files = Directory.Exists(folder)
            ? [.. Directory.GetFiles(folder, "*.pb").Order(StringComparer.Ordinal)]
            : [];
        return files.Length > 0
            ? new MeasuredFrames([.. files.Select(File.ReadAllBytes)], $"{files.Length} files of --frames")
            : throw new CommandException($"no *.pb in {folder}: give --frames a folder of serialized ResponseObservations");
    }

    /// <summary>
    /// Real observations in the folder <c>shared</c> beside the repository, or the one that <c>SC2BRIDGE_SHARED</c>
    /// names, in a stable order; none where it is absent.
    /// </summary>
    public static byte[][] Real()
    {
        var shared = Environment.GetEnvironmentVariable("SC2BRIDGE_SHARED") is { Length: > 0 } named
            ? named
            : RepositoryFolder.Root is { } root ? Path.Combine(root, "..", "shared") : "";
        var folder = Path.Combine(shared, "data", "real");
        return Directory.Exists(folder)
            ?
            [
                .. Directory.GetFiles(folder, "observation.pb", SearchOption.AllDirectories)
                    .Order(StringComparer.Ordinal).Select(File.ReadAllBytes),
            ]
            : [];
    }

    /// <summary>Writes each to a file of its own, in their order.</summary>
    public void Save(string folder)
    {
        Directory.CreateDirectory(folder);
        foreach (var (index, observation) in observations.Index())
        {
            File.WriteAllBytes(Path.Combine(folder, Invariant($"{index:0000}.observation.pb")), observation);
        }
    }

    /// <summary>Has them in a folder while something runs: for the simulated game that answers with them.</summary>
    public async Task<T> InFolderAsync<T>(Func<string, Task<T>> run)
    {
        var folder = Directory.CreateTempSubdirectory("sc2bridge-bench-");
        try
        {
            Save(folder.FullName);
            return await run(folder.FullName);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}
