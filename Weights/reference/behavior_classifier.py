"""The dog-behaviour classifier as a PyTorch module: the network the Swift `BehaviorClassifier` is compared with.

Three strided convolutions over time, each convolution -> ReLU -> batch normalisation in this order, a linear bottleneck
and a small classifier. Input `[batch, 48, 100]`: channel 2k is x, 2k + 1 is y of keypoint k, divided by the image's
width and height; frame 0 is the oldest. Output `[batch, 21]`.
"""

import torch
from torch import nn


class BehaviorClassifier(nn.Module):
    def __init__(self, classes: int = 21, dropout: float = 0.2):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv1d(48, 64, kernel_size=7, stride=1, padding=3), nn.ReLU(), nn.BatchNorm1d(64),
            nn.Conv1d(64, 128, kernel_size=5, stride=2, padding=2), nn.ReLU(), nn.BatchNorm1d(128),
            nn.Conv1d(128, 256, kernel_size=3, stride=2, padding=1), nn.ReLU(), nn.BatchNorm1d(256),
        )
        self.fc_mu = nn.Linear(256 * 25, 32)
        self.classifier = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Dropout(dropout), nn.Linear(64, classes))

    def forward(self, poses: torch.Tensor) -> torch.Tensor:
        """Logits `[batch, 21]` of pose sequences `[batch, 48, 100]`."""
        return self.classifier(self.fc_mu(self.encoder(poses).flatten(1)))

    def probabilities(self, poses: torch.Tensor) -> torch.Tensor:
        """Softmax of the logits over the labels."""
        return torch.softmax(self(poses), dim=-1)
