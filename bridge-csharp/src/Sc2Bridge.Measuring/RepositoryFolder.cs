namespace Sc2Bridge.Measuring;

/// <summary>Finds what measuring needs beside the program: benchmarks, scripts, and the folder of real messages.</summary>
public static class RepositoryFolder
{
    /// <summary>The repository's root; null where the program stands outside of one.</summary>
    public static string? Root { get; } = Find();

    /// <summary>
    /// Real observations in the folder <c>shared</c> beside the repository, or the one that <c>SC2BRIDGE_SHARED</c>
    /// names, in a stable order; none where it is absent.
    /// </summary>
    /// <returns>Paths of serialized <c>ResponseObservation</c>s.</returns>
    public static IReadOnlyList<string> RealObservations()
    {
        var shared = Environment.GetEnvironmentVariable("SC2BRIDGE_SHARED") is { Length: > 0 } named
            ? named
            : Root is null ? null : Path.Combine(Root, "..", "shared");
        var folder = shared is null ? null : Path.Combine(shared, "data", "real");
        return Directory.Exists(folder)
            ? [.. Directory.GetFiles(folder, "observation.pb", SearchOption.AllDirectories).Order(StringComparer.Ordinal)]
            : [];
    }

    private static string? Find()
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "proto", "sc2bridge", "v1", "bridge.proto")))
            {
                return folder.FullName;
            }
        }

        return null;
    }
}
