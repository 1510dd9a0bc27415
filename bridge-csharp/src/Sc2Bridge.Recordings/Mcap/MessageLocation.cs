namespace Sc2Bridge.Recordings;

/// <summary>The location of a message in a recording.</summary>
/// <param name="Channel">Its channel.</param>
/// <param name="Place">Which of the file's places it is in.</param>
/// <param name="Message">Which of the channel's messages there.</param>
public readonly record struct MessageLocation(ushort Channel, int Place, int Message);
