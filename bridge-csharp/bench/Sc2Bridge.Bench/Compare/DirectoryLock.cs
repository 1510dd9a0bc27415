namespace Sc2Bridge.Bench;

/// <summary>
/// That a folder is a process's alone: a file that it holds open, so that the claim ends with the process, however that
/// ends.
/// </summary>
internal static class DirectoryLock
{
    /// <summary>The file.</summary>
    public const string FileName = "taken";

    /// <summary>Takes a folder until what is given is disposed.</summary>
    /// <returns>Null where another process has it.</returns>
    /// <exception cref="DirectoryNotFoundException">There is none.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be written.</exception>
    public static FileStream? Take(string folder)
    {
        try
        {
            return new FileStream(
                Path.Combine(folder, FileName), FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        }
        catch (IOException taken) when (taken is not (DirectoryNotFoundException or FileNotFoundException))
        {
            return null;
        }
    }

    /// <summary>Whether a process has a folder. Anybody may ask who may read it.</summary>
    public static bool IsTaken(string folder)
    {
        try
        {
            using var free = new FileStream(
                Path.Combine(folder, FileName), FileMode.Open, FileAccess.Read, FileShare.Read);
            return false;
        }
        catch (IOException problem)
        {
            return problem is not (FileNotFoundException or DirectoryNotFoundException);
        }
    }
}
