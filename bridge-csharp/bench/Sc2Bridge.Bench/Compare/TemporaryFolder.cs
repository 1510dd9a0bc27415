namespace Sc2Bridge.Bench;

/// <summary>
/// What a comparison needs for as long as it runs, its processes' sockets too, in a folder that is gone with it,
/// however they end: this process removes it, cut short or not, and where it was killed outright the next one does.
/// </summary>
internal sealed class TemporaryFolder : IDisposable
{
    /// <summary>The file in a folder that its process holds open.</summary>
    public const string ClaimName = "taken";

    private const string Prefix = "sc2bridge-compare-";

    private readonly FileStream _claim;
    private readonly EventHandler _onExit;

    public TemporaryFolder()
    {
        try
        {
            RemoveAbandoned();
            Path = Directory.CreateTempSubdirectory(Prefix).FullName;
            _claim = Claim(Path) ?? throw new IOException($"{Path} is not writable");
        }
        catch (Exception problem) when (problem is IOException or UnauthorizedAccessException)
        {
            throw new CommandException(
                $"no folder can be made in {System.IO.Path.GetTempPath()} ({problem.Message}): make room, or name "
                + "another place with TMPDIR",
                problem);
        }

        _onExit = (_, _) => Remove();
        AppDomain.CurrentDomain.ProcessExit += _onExit;
    }

    public string Path { get; }

    /// <summary>
    /// Takes a folder until what is given is disposed, or the process ends; null where another process has it.
    /// </summary>
    public static FileStream? Claim(string folder)
    {
        try
        {
            return new FileStream(
                System.IO.Path.Combine(folder, ClaimName), FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        }
        catch (IOException taken) when (taken is not (DirectoryNotFoundException or FileNotFoundException))
        {
            return null;
        }
    }

    public void Dispose()
    {
        AppDomain.CurrentDomain.ProcessExit -= _onExit;
        Remove();
    }

    private void Remove()
    {
        _claim.Dispose();
        TryDelete(Path);
    }

    private static void RemoveAbandoned()
    {
        foreach (var folder in Directory.GetDirectories(System.IO.Path.GetTempPath(), $"{Prefix}*"))
        {
            try
            {
                // One without a claim may be just begun.
                using var free = File.Exists(System.IO.Path.Combine(folder, ClaimName)) ? Claim(folder) : null;
                if (free is not null)
                {
                    TryDelete(folder);
                }
            }
            catch (Exception problem) when (problem is IOException or UnauthorizedAccessException)
            {
                // It is somebody else's, or has gone meanwhile.
            }
        }
    }

    private static void TryDelete(string folder)
    {
        try
        {
            Directory.Delete(folder, recursive: true);
        }
        catch (Exception problem) when (problem is IOException or UnauthorizedAccessException)
        {
            // Something is written there at this moment, or it is gone.
        }
    }
}
